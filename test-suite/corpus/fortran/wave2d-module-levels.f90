! The wave equation in a module: three levels of one array, whose numbers the module begins with and a subroutine rotates.
module field
  implicit none
  integer :: nx, ny
  double precision, allocatable :: u(:, :, :)
  integer :: nm1 = 1, n0 = 2, np1 = 3
contains
  subroutine leap(c2)
    double precision, intent(in) :: c2
    integer :: i, j

    do j = 2, ny - 1
      do i = 2, nx - 1
        u(i, j, np1) = 2d0*u(i, j, n0) - u(i, j, nm1) &
                       + c2*(u(i + 1, j, n0) + u(i - 1, j, n0) + u(i, j + 1, n0) + u(i, j - 1, n0) - 4d0*u(i, j, n0))
      end do
    end do
  end subroutine leap

  subroutine rotate
    integer :: t

    t = nm1
    nm1 = n0
    n0 = np1
    np1 = t
  end subroutine rotate
end module field

program main
  use corpus
  use field
  implicit none
  integer :: mx, my, mz, steps, t
  double precision, allocatable :: a(:)

  do while (next_case(mx, my, mz, steps))
    call new_array(a, points(mx, my, 3))
    nx = mx
    ny = my
    u = reshape(a(1:points(nx, ny, 3)), [max(nx, 0), max(ny, 0), 3])
    do t = 1, steps
      call leap(0.2d0)
      call rotate
      if (mod(t, 20) == 0) print *, 'step', t
    end do
    a(1:points(nx, ny, 3)) = reshape(u, [points(nx, ny, 3)])
    call dump('u', a)
    call end_case()
  end do
end program main
