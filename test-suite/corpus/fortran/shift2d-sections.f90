! Borders that move along themselves, up and down, along rows and across them: sections of one array that overlap, of
! which every element is read before it is overwritten.
module edges
  implicit none
  double precision, allocatable :: p(:, :), q(:, :)
contains
  subroutine turn(n, m, steps)
    integer, intent(in) :: n, m, steps
    integer :: t, i, j

    do t = 1, steps
      do j = 2, m - 1
        do i = 2, n - 1
          q(i, j) = 0.25d0*(p(i - 1, j) + p(i + 1, j) + p(i, j - 1) + p(i, j + 1))
        end do
      end do
      do j = 2, m - 1
        do i = 2, n - 1
          p(i, j) = q(i, j)
        end do
      end do
      p(2:n, 1) = p(1:n - 1, 1)
      p(1:n - 1, m) = p(2:n, m)
      p(1, 2:m) = p(1, 1:m - 1)
      p(n, 1:m - 1) = p(n, 2:m)
    end do
  end subroutine turn
end module edges

program main
  use corpus
  use edges
  implicit none
  integer :: nx, ny, nz, steps
  double precision, allocatable :: start(:)

  do while (next_case(nx, ny, nz, steps))
    call new_array(start, points(nx, ny, 1))
    if (min(nx, ny) >= 1) then
      allocate (p(nx, ny), q(nx, ny))
      p = reshape(start, [nx, ny])
      q = p
      call turn(nx, ny, steps)
      start = reshape(p, [nx*ny])
      deallocate (p, q)
    end if
    call dump('p', start)
    call end_case()
  end do
end program main
