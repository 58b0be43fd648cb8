! As in FORTRAN 77: both grids lie in one COMMON block, the largest change is found beside the new values, and a GOTO goes on.
subroutine laplace(n, m, steps, change, iter)
  implicit none
  integer, parameter :: most = 160
  integer :: n, m, steps, iter, i, j
  double precision :: t, tnew, change, d
  common /g/ t(most, most), tnew(most, most)

  iter = 0
100 iter = iter + 1
  change = 0.0d0
  do 40 j = 2, m - 1
    do 30 i = 2, n - 1
      tnew(i, j) = 0.25d0*(t(i - 1, j) + t(i + 1, j) + t(i, j - 1) + t(i, j + 1))
      d = dabs(tnew(i, j) - t(i, j))
      if (d .gt. change) change = d
30  continue
40 continue
  do 60 j = 2, m - 1
    do 50 i = 2, n - 1
      t(i, j) = tnew(i, j)
50  continue
60 continue
  if (change .gt. 1.0d-2 .and. iter .lt. steps) goto 100
end subroutine laplace

program main
  use corpus
  implicit none
  integer, parameter :: most = 160
  double precision :: t, tnew, change
  common /g/ t(most, most), tnew(most, most)
  integer :: nx, ny, nz, steps, iter
  double precision, allocatable :: a(:), b(:), results(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(most, most, 1))
    call new_array(b, points(most, most, 1))
    call new_array(results, points(2, 1, 1))
    t = reshape(a(1:most*most), [most, most])
    tnew = reshape(b(1:most*most), [most, most])
    call laplace(nx, ny, steps, change, iter)
    a(1:most*most) = reshape(t, [most*most])
    b(1:most*most) = reshape(tnew, [most*most])
    results(1) = change
    results(2) = iter
    call dump('t', a)
    call dump('tnew', b)
    call dump('results', results)
    call end_case()
  end do
end program main
