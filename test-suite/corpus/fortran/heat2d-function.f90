! What a function returns as an array of its own, allocated at each call, is added to an allocatable array.
module plate
  implicit none
contains
  subroutine heat(u, steps)
    double precision, allocatable, intent(inout) :: u(:, :)
    integer, intent(in) :: steps
    integer :: t

    do t = 1, steps
      u = u + 0.1d0*laplacian(u)
    end do
  end subroutine heat

  function laplacian(u) result(l)
    double precision, intent(in) :: u(:, :)
    double precision, allocatable :: l(:, :)
    integer :: i, j, n, m

    n = size(u, 1)
    m = size(u, 2)
    allocate (l(n, m))
    l = 0.0d0
    do j = 2, m - 1
      do i = 2, n - 1
        l(i, j) = u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4.0d0*u(i, j)
      end do
    end do
  end function laplacian
end module plate

program main
  use corpus
  use plate
  implicit none
  integer :: nx, ny, nz, steps, n, m
  double precision, allocatable :: a(:), u(:, :)

  do while (next_case(nx, ny, nz, steps))
    call new_array(a, points(nx, ny, 1))
    n = max(nx, 0)
    m = max(ny, 0)
    u = reshape(a(1:n*m), [n, m])
    call heat(u, steps)
    a(1:n*m) = reshape(u, [n*m])
    call dump('u', a)
    call end_case()
  end do
end program main
